package domain

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxSettingDays is the longest period that an organization's setting can name: a century, which a time.Duration can
// hold.
const MaxSettingDays = 36_500

// The shortest and the longest time, in days, after which an organization can have its finished builds deleted.
const (
	MinBuildRetentionDays = 30
	MaxBuildRetentionDays = 365
)

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
	RestrictUserAPITokenCreation         Optional[bool]
	DefaultBranch                        Optional[string]
	DefaultTimeoutInMinutes              Optional[int64]
	MaximumTimeoutInMinutes              Optional[int64]
	ScheduledJobExpiryInMinutes          Optional[int64]
	BuildRetentionDays                   Optional[int64]
	MembersCanCreatePublicPipelines      Optional[bool]
	// Alone says that the settings were sent by themselves, as clients know them: without "settings." before their names,
	// and with null for a period that is none.
	Alone bool
}

// OrganizationEditor is who changes an organization, from where and when.
type OrganizationEditor struct {
	Address netip.Addr
	User    UserID // "" for a portal, or an operator
	At      time.Time
}

// InactivePeriods are the days after which clients know that unused tokens can be revoked.
var InactivePeriods = []int64{30, 60, 90, 180, 365}

// field returns what a setting is called in faults.
func (p *OrganizationPatch) field(name string) string {
	if p.Alone {
		return name
	}
	return "settings." + name
}

// Apply makes the changes of the patch. It returns the new default cluster, if one is given: the caller checks that it
// belongs to the organization.
func (o *Organization) Apply(p OrganizationPatch, by OrganizationEditor, faults *Faults) (cluster *ClusterID) {
	if p.Name.Given {
		o.Name = CheckName("name", "Name", p.Name.Value, faults)
	}
	s := &o.Settings
	if p.ClusterWrites.Given {
		s.ClusterWrites = ClusterWrites(p.ClusterWrites.Value)
		if s.ClusterWrites != ClusterWritesMembers && s.ClusterWrites != ClusterWritesManagers {
			faults.Add(p.field("cluster_writes"), "Cluster writes must be members or managers")
		}
	}
	applyFlag(p.field("maintainers_can_destroy_cache_registries"), p.MaintainersCanDestroyCacheRegistries,
		&s.MaintainersCanDestroyCacheRegistries, faults)
	applyFlag(p.field("members_can_create_pipelines"), p.MembersCanCreatePipelines, &s.MembersCanCreatePipelines, faults)
	if p.DefaultClusterID.Given {
		s.DefaultClusterID = nil
		if id, ok := ParseID[ClusterID](p.DefaultClusterID.Value); ok {
			s.DefaultClusterID, cluster = &id, &id
		} else if !p.DefaultClusterID.Null {
			p.FaultDefaultCluster(faults)
		}
	}
	s.applyAPISettings(p, by, faults)
	applyDays(p.field("audit_retention_days"), p.AuditRetentionDays, &s.AuditRetentionDays, faults)
	s.applyPipelineSettings(p, by, faults)
	return cluster
}

// FaultDefaultCluster records that the default cluster asked for is not one of the organization's.
func (p *OrganizationPatch) FaultDefaultCluster(faults *Faults) {
	field := p.field("default_cluster_id")
	faults.Add(field, field+" must be the UUID of a cluster in this organization")
}

// applyAPISettings makes the changes that are about the APIs and their tokens.
func (s *OrganizationSettings) applyAPISettings(p OrganizationPatch, by OrganizationEditor, faults *Faults) {
	if p.AllowedAPIIPAddresses.Given {
		s.AllowedAPIIPAddresses = checkAllowedAddresses(p.allowedAddressesField(), p.AllowedAPIIPAddresses.Value, by.Address,
			faults)
	}
	days, field := p.RevokeInactiveTokensAfterDays, p.field("revoke_inactive_tokens_after_days")
	if p.Alone && days.Given {
		if s.RevokeInactiveTokensAfterDays = days.Value; !days.Null && !slices.Contains(InactivePeriods, days.Value) {
			faults.Add(field, field+" must be 30, 60, 90, 180, 365 or null")
		}
	} else {
		applyDays(field, days, &s.RevokeInactiveTokensAfterDays, faults)
	}
	applyFlag(p.field("restrict_user_api_token_creation"), p.RestrictUserAPITokenCreation, &s.RestrictUserAPITokenCreation,
		faults)
}

func (p *OrganizationPatch) allowedAddressesField() string {
	if p.Alone {
		return "allowed_ip_addresses"
	}
	return p.field("allowed_api_ip_addresses")
}

// applyPipelineSettings makes the changes that are about new pipelines, and about builds and their jobs.
func (s *OrganizationSettings) applyPipelineSettings(p OrganizationPatch, by OrganizationEditor, faults *Faults) {
	applyLine(p.field("default_branch"), "Default branch", p.DefaultBranch, maxBranch, &s.DefaultBranch, faults)
	if s.DefaultBranch != nil && strings.TrimSpace(*s.DefaultBranch) == "" {
		s.DefaultBranch = nil
	}
	applyMinutes(p.field("default_timeout_in_minutes"), p.DefaultTimeoutInMinutes, &s.DefaultTimeoutInMinutes, faults)
	applyMinutes(p.field("maximum_timeout_in_minutes"), p.MaximumTimeoutInMinutes, &s.MaximumTimeoutInMinutes, faults)
	applyMinutes(p.field("scheduled_job_expiry_in_minutes"), p.ScheduledJobExpiryInMinutes, &s.ScheduledJobExpiryInMinutes,
		faults)
	applyBuildRetention(p.field("build_retention_days"), p.BuildRetentionDays, &s.BuildRetentionDays, faults)
	if s.DefaultTimeoutInMinutes != nil && s.exceedsMaximum(*s.DefaultTimeoutInMinutes) {
		field := p.field("default_timeout_in_minutes")
		faults.Add(field, field+" must not be more than "+p.field("maximum_timeout_in_minutes"))
	}
	enabled := s.PublicPipelinesEnabledAt != nil
	switch applyFlag(p.field("members_can_create_public_pipelines"), p.MembersCanCreatePublicPipelines, &enabled,
		faults); {
	case !enabled:
		s.PublicPipelinesEnabledAt, s.PublicPipelinesEnabledBy = nil, nil
	case s.PublicPipelinesEnabledAt == nil:
		s.PublicPipelinesEnabledAt = &by.At
		if by.User != "" {
			s.PublicPipelinesEnabledBy = &by.User
		}
	}
}

func (s *OrganizationSettings) exceedsMaximum(minutes int64) bool {
	return s.MaximumTimeoutInMinutes != nil && *s.MaximumTimeoutInMinutes > 0 && minutes > *s.MaximumTimeoutInMinutes
}

// FillIn sets what the settings say of new pipelines that say nothing else.
func (s *OrganizationSettings) FillIn(in *PipelineInput) {
	if !in.DefaultBranch.HasValue() && s.DefaultBranch != nil {
		in.DefaultBranch = Some(*s.DefaultBranch)
	}
	if !in.DefaultCommandStepTimeout.HasValue() && s.DefaultTimeoutInMinutes != nil {
		in.DefaultCommandStepTimeout = Some(*s.DefaultTimeoutInMinutes)
	}
	if !in.MaximumCommandStepTimeout.HasValue() && s.MaximumTimeoutInMinutes != nil {
		in.MaximumCommandStepTimeout = Some(*s.MaximumTimeoutInMinutes)
	}
}

// CheckTimeouts adds a fault for each time limit of a pipeline that is more than the settings let one have.
func (s *OrganizationSettings) CheckTimeouts(in PipelineInput, faults *Faults) {
	check := func(field, label string, given Optional[int64]) {
		if given.HasValue() && s.exceedsMaximum(given.Value) && !faults.Has(field) {
			faults.Add(field, label+" must be at most the organization's "+strconv.FormatInt(*s.MaximumTimeoutInMinutes, 10)+
				" minutes")
		}
	}
	check("default_command_step_timeout", "Default command step timeout", in.DefaultCommandStepTimeout)
	check("maximum_command_step_timeout", "Maximum command step timeout", in.MaximumCommandStepTimeout)
}

func applyMinutes(field string, given Optional[int64], target **int64, faults *Faults) {
	if given.Value < 0 || given.Value > maxStepTimeout {
		faults.Add(field, field+" must be a number of minutes from 0 to "+strconv.Itoa(maxStepTimeout)+", or null")
	}
	given.ApplyTo(target)
}

func applyBuildRetention(field string, given Optional[int64], target **int64, faults *Faults) {
	if given.HasValue() && (given.Value < MinBuildRetentionDays || given.Value > MaxBuildRetentionDays) {
		faults.Add(field, field+" must be a number of days from "+strconv.Itoa(MinBuildRetentionDays)+" to "+
			strconv.Itoa(MaxBuildRetentionDays)+", or null")
	}
	given.ApplyTo(target)
}

// checkAllowedAddresses returns the list as it is stored. A list that would lock out the caller is a fault: they could
// not take it back.
func checkAllowedAddresses(field, given string, from netip.Addr, faults *Faults) string {
	list := CheckAPIAddresses(field, given, faults)
	if !faults.Has(field) && !list.Allows(from) {
		faults.Add(field, "Allowed API IP addresses must include your own: "+from.String())
	}
	return list.String()
}

// CheckAPIAddresses returns the addresses that an organization's API can be used from. It adds a fault unless that is a
// list of CIDRs of a length that can be stored.
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
