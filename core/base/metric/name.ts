/** The namespace of all metrics; the alarms and the dashboard use the same names. */
export const namespace = 'AIChat'

/** Returns the dimensions of every metric, which separate the stages. */
export const dimensions = (stage: string) => ({ service: 'backend-ai-chat', stage })

/** The names of the metrics. The log contains a metric only if there is an event to measure. */
export const metrics = {
  /** Turns that succeeded, or wait for a decision. */
  turnsDone: 'TurnsDone',
  turnsFailed: 'TurnsFailed',
  /** Turns that an invocation handed to the next one. */
  turnsHandedOver: 'TurnsHandedOver',
  /** Turns that went back to the queue until their provider takes more requests. */
  turnsDeferred: 'TurnsDeferred',
  /** Turns that cleanup set to `failed`, because they made no progress for `stuckMs`. */
  turnsStuck: 'TurnsStuck',
  /** Time from the claim of a turn to its end, in milliseconds. */
  turnMs: 'TurnMs',
  /** Time of one call of a model, from the request to the end of its answer, in milliseconds. */
  modelMs: 'ModelMs',
  /** Time between the queueing of a turn and its claim by a consumer, in milliseconds. */
  queueWaitMs: 'QueueWaitMs',
  /** Tokens that models read and wrote, cached tokens included. */
  modelTokens: 'ModelTokens',
  /** Cost of the model calls at the prices of the settings, in millionths of a dollar; not written without prices. */
  modelMicroDollars: 'ModelMicroDollars',
  /** Used share of the stage's daily tokens, in percent; not written if the settings have no limit. */
  stageTokensPercent: 'StageTokensPercent',
  /** Turns that a new consumer took over from a lost one. */
  turnsResumed: 'TurnsResumed',
  /** Answers that users rate as helpful, and as not helpful. */
  answersHelpful: 'AnswersHelpful',
  answersNotHelpful: 'AnswersNotHelpful',
  /** Sessions that began by password or exchange, and refused sessions by the code of the refusal. */
  sessionsStarted: 'SessionsStarted',
  sessionsRefused: 'SessionsRefused',
  /** Requests that the stage refused on purpose with 503, for maintenance or too many waiting turns. */
  requestsDeclined: 'RequestsDeclined',
  /** Canary visits without a failure, those of them with turns, and failed canary checks by their name. */
  canarySucceeded: 'CanarySucceeded',
  canaryTurnsSucceeded: 'CanaryTurnsSucceeded',
  canaryFailed: 'CanaryFailed',
} as const
export type Metric = (typeof metrics)[keyof typeof metrics]
