package domain

// queueSettings are the settings of a queue that every queue has. The tags say what REST and audit events call them,
// and what they mean.
type queueSettings[Text, Choice any] struct {
	Description        Text   `json:"description" doc:"What the queue is for." input:"At most 10,000 characters. Null for none."`
	RetryAgentAffinity Choice `json:"retry_agent_affinity" nullable:"false" enum:"prefer-warmest,prefer-different" doc:"Which agent runs a job's retry." input:"By default, prefer-warmest."`
}

// QueueSettings are those of a queue.
type QueueSettings = queueSettings[*string, string]

// QueueSettingsInput is what a caller sends to make or change them.
type QueueSettingsInput = queueSettings[Optional[string], Optional[string]]

// PreferDifferent is the RetryAgentAffinity of a queue that retries a job on another agent, if one is free.
const PreferDifferent = "prefer-different"

// SettingsOfQueues describes the fields of QueueSettings.
var SettingsOfQueues = []Setting[Queue, QueueInput]{
	{
		Name: "description", GraphQL: "description", MaxLength: maxDescription,
		FormLabel: "Description", Rows: 2,
		Line:   func(q *Queue) **string { return &q.Description },
		LineIn: func(in *QueueInput) *Optional[string] { return &in.Description },
	},
	{
		Name: "retry_agent_affinity", GraphQL: "retryAgentAffinity",
		FormLabel: "Retried jobs prefer", FormNoun: "The preference",
		Choice:   func(q *Queue) *string { return &q.RetryAgentAffinity },
		ChoiceIn: func(in *QueueInput) *Optional[string] { return &in.RetryAgentAffinity },
		Choices: []Choice{
			{Value: "prefer-warmest", FormLabel: "The agent that ran the job last", Help: "Its caches are warm."},
			{Value: PreferDifferent, FormLabel: "A different agent", Help: "In case the agent caused the failure."},
		},
	},
}
