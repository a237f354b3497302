/** What the service measures of itself; the alarms and the dashboard read the same names. */
export const namespace = 'AIChat'

/** What every measure is filed under, so that stages are kept apart. */
export const dimensions = (stage: string) => ({ service: 'backend-ai-chat', stage })

/** The measures by name. The log carries a measure only when there is an event to measure. */
export const metrics = {
  /** Turns that ended well, or wait for a decision. */
  turnsDone: 'TurnsDone',
  turnsFailed: 'TurnsFailed',
  /** Turns that an invocation handed to the next one. */
  turnsHandedOver: 'TurnsHandedOver',
  /** Turns that went back to the queue until their provider takes more requests. */
  turnsDeferred: 'TurnsDeferred',
  /** Turns that cleanup failed because no consumer had made progress with them for five minutes. */
  turnsStuck: 'TurnsStuck',
  /** Time between the queueing of a turn and its claim by a consumer, in milliseconds. */
  queueWaitMs: 'QueueWaitMs',
  /** Tokens of the models' answers and of what they read, the cache included. */
  modelTokens: 'ModelTokens',
  /** What these calls cost by the prices of the settings, in millionths of a dollar; nothing where none are known. */
  modelMicroDollars: 'ModelMicroDollars',
  /** Share of the day's tokens of the stage that is used up, in percent; nothing where the settings have no limit. */
  stageTokensPercent: 'StageTokensPercent',
  /** Turns whose consumer was gone. */
  turnsResumed: 'TurnsResumed',
  /** Answers that users call helpful, and those that they do not. */
  answersHelpful: 'AnswersHelpful',
  answersNotHelpful: 'AnswersNotHelpful',
  /** Visits of the canary that found nothing wrong, and checks of it that failed, by their name. */
  canarySucceeded: 'CanarySucceeded',
  canaryFailed: 'CanaryFailed',
} as const
export type Metric = (typeof metrics)[keyof typeof metrics]
