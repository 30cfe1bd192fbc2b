package store

import "penstock/internal/domain"

// ActivityStatement counts what pipelines have under way.
var ActivityStatement = new(arguments).write(countActivity([]domain.PipelineID{"a", "b"}))

// BuildStatements are statements that agents' requests and the loops of builds run all the time.
var BuildStatements = map[string]string{
	"agent session": selectAgentSession, "token job": selectTokenJob, "job with agent": selectJobWithAgent, "rule sets": readyRuleSets, "first scheduled": readyJobs,
	"past deadline": jobsPastDeadline, "not taken": jobsNotTaken, "past grace": jobsPastGrace, "expired": expiredJobs, "groups with room": groupsWithRoom,
	"silent agents": silentAgents, "connected agents": countConnectedAgents, "older builds": olderBuilds, "job contexts": new(arguments).write(jobContextsOf([]domain.BuildID{"a", "b"})),
	"job teams": jobTeams, "figures": clusterStats, "old builds": oldBuilds,
	"builds by number": findBuildsByNumber, "builds by commit": findBuildsByCommit, "builds by text": findBuildsByText,
	"activity of pipelines": ActivityStatement,
	"queue samples":         queueSamples, "waits of started jobs": waitsOfStarted, "sampled queues": sampleQueues,
	"cache caller": selectCacheCallerOfSlug, "cache caller of the default registry": selectCacheCallerOfDefault, "newest cache entries": selectNewestPerPrefix(4),
	"cache entries": new(arguments).write(clauseOf(selectCacheEntriesByHash, oneOf(`ce.hash`, []string{"a", "b"}), 1)),
}

// CountedUpTo returns the list, whose Count stops at a number of items.
func CountedUpTo[T any](l List[T], limit int64) List[T] {
	l.countLimit = limit + 1
	return l
}

// OnlyFirst returns the list with the first items of a parent's alone.
func OnlyFirst[T any](tx Tx, l List[T], viewer Viewer, parent string, n int64) (List[T], error) {
	return l.onlyFirst(tx, viewer, parent, n)
}

// StatementsOf returns the statements that read the beginning of a parent's list, and count it.
func StatementsOf[T any](l List[T], parent string) []string {
	return []string{l.rangeSQL(new(arguments), Viewer{}, parent, Range{Limit: 30}), l.countUpToSQL(new(arguments), Viewer{}, []string{parent}, maxCounted)}
}
