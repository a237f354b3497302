/** The topic that every alarm and the budget publish to. */
export const topic = new aws.sns.Topic('Alarms')
