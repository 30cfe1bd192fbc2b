package domain

import (
	"net/netip"
	"strconv"
)

// MaxSettingDays is the longest period that an organization's setting can name: a century, which a time.Duration can hold.
const MaxSettingDays = 36_500

// OrganizationPatch is what a caller sends to change an organization.
type OrganizationPatch struct {
	Name                                 Optional[string]
	ClusterWrites                        Optional[string]
	MaintainersCanDestroyCacheRegistries Optional[bool]
	MembersCanCreatePipelines            Optional[bool]
	DefaultClusterID                     Optional[string]
	AllowedAPIIPAddresses                Optional[string]
	RevokeInactiveTokensAfterDays        Optional[int64]
	AuditRetentionDays                   Optional[int64]
}

// Apply makes the changes of the patch, for a user at that address. It returns the new default cluster, if one is given: the
// caller checks that it belongs to the organization.
func (o *Organization) Apply(p OrganizationPatch, from netip.Addr, faults *Faults) (cluster *ClusterID) {
	if p.Name.Given {
		o.Name = CheckName("name", "Name", p.Name.Value, faults)
	}
	s := &o.Settings
	if p.ClusterWrites.Given {
		s.ClusterWrites = ClusterWrites(p.ClusterWrites.Value)
		if s.ClusterWrites != ClusterWritesMembers && s.ClusterWrites != ClusterWritesManagers {
			faults.Add("settings.cluster_writes", "Cluster writes must be members or managers")
		}
	}
	applyFlag("settings.maintainers_can_destroy_cache_registries", p.MaintainersCanDestroyCacheRegistries, &s.MaintainersCanDestroyCacheRegistries, faults)
	applyFlag("settings.members_can_create_pipelines", p.MembersCanCreatePipelines, &s.MembersCanCreatePipelines, faults)
	if p.DefaultClusterID.Given {
		s.DefaultClusterID = nil
		if id, ok := ParseID[ClusterID](p.DefaultClusterID.Value); ok {
			s.DefaultClusterID, cluster = &id, &id
		} else if !p.DefaultClusterID.Null {
			FaultDefaultCluster(faults)
		}
	}
	if p.AllowedAPIIPAddresses.Given {
		s.AllowedAPIIPAddresses = checkAllowedAddresses(p.AllowedAPIIPAddresses.Value, from, faults)
	}
	applyDays("settings.revoke_inactive_tokens_after_days", p.RevokeInactiveTokensAfterDays, &s.RevokeInactiveTokensAfterDays, faults)
	applyDays("settings.audit_retention_days", p.AuditRetentionDays, &s.AuditRetentionDays, faults)
	return cluster
}

// FaultDefaultCluster records that the default cluster asked for is not one of the organization's.
func FaultDefaultCluster(faults *Faults) {
	faults.Add("settings.default_cluster_id", "settings.default_cluster_id must be the UUID of a cluster in this organization")
}

// checkAllowedAddresses returns the list as it is stored. A list that would lock out the caller is a fault: they could not
// take it back.
func checkAllowedAddresses(given string, from netip.Addr, faults *Faults) string {
	const field = "settings.allowed_api_ip_addresses"
	list := CheckAPIAddresses(field, given, faults)
	if !faults.Has(field) && !list.Allows(from) {
		faults.Add(field, "Allowed API IP addresses must include the one that you ask from: "+from.String())
	}
	return list.String()
}

// CheckAPIAddresses returns the addresses that an organization's API can be used from. It adds a fault unless that is a list of CIDRs
// of a length that can be stored.
func CheckAPIAddresses(field, given string, faults *Faults) AddressList {
	const label = "Allowed API IP addresses"
	list, err := ParseAddressList(given, 0)
	switch {
	case err != nil:
		faults.Add(field, label+" are not valid: "+err.Error())
	case len(list.String()) > maxDescription:
		faults.Add(field, tooLongReason(label, maxDescription))
	}
	return list
}

func applyDays(field string, given Optional[int64], target *int64, faults *Faults) {
	if !given.Given {
		return
	}
	*target = given.Value
	if given.Null || given.Value < 0 || given.Value > MaxSettingDays {
		faults.Add(field, field+" must be a number of days from 0 to "+strconv.Itoa(MaxSettingDays))
	}
}
