package store

// BuildStatements are statements that agents' requests and the loops of builds run all the time.
var BuildStatements = map[string]string{
	"agent session": selectAgentSession, "token job": selectTokenJob, "job with agent": selectJobWithAgent, "rule sets": scheduledRuleSets, "first scheduled": firstScheduled,
	"past deadline": jobsPastDeadline, "not taken": jobsNotTaken, "past grace": jobsPastGrace, "expired": expiredJobs, "waiting groups": waitingGroups,
	"silent agents": silentAgents, "connected agents": countConnectedAgents, "open builds of a branch": openBuildsOfBranch, "job context": selectJobContext,
	"job teams": jobTeams, "figures": clusterFigures,
}
