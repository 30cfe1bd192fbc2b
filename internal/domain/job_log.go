package domain

// LogKey is the key of the object that the log of a job is, once it has ended.
func LogKey(organization OrganizationID, job JobID) string {
	return "logs/" + string(organization) + "/" + string(job)
}
