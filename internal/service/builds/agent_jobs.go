package builds

import (
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// changeJobOf changes the job that an agent has, if it has one. fn reports whether it changed anything.
func changeJobOf(tx store.Tx, e *core.Effects, agent domain.AgentID, by domain.UserID,
	fn func(c *change, j *jobChange) bool) error {
	job, found, err := tx.JobWithAgent(agent)
	if err != nil || !found {
		return err
	}
	c, err := openBuild(tx, job.BuildID, by, e)
	if err != nil {
		return err
	}
	j, err := c.job(job.ID)
	if err != nil {
		return err
	}
	if j.now.AgentID == nil || *j.now.AgentID != agent { // another agent has it by now
		return nil
	}
	if !fn(c, j) {
		return nil
	}
	return c.save()
}

// reclaimJobOf requeues or ends the job that an agent has, since the agent is gone.
func reclaimJobOf(tx store.Tx, e *core.Effects, agent domain.AgentID, event flow.JobEvent) error {
	return changeJobOf(tx, e, agent, "", func(c *change, j *jobChange) bool {
		const lostStatus = -1
		switch j.now.State {
		case flow.Assigned:
			c.requeue(j, flow.EventAssignedExpired)
		case flow.Accepted:
			c.requeue(j, flow.EventAcceptedExpired)
		case flow.Running, flow.Canceling, flow.TimingOut:
			c.end(j, ended{status: lostStatus, event: event, gone: true})
		default:
			return false
		}
		return true
	})
}

// cancelJobOf cancels the job that an agent has.
func cancelJobOf(tx store.Tx, e *core.Effects, agent domain.AgentID, by domain.UserID) error {
	return changeJobOf(tx, e, agent, by, func(c *change, j *jobChange) bool {
		c.cancel(j)
		c.propagate()
		return true
	})
}
