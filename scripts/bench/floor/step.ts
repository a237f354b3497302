/** One request of a floor: the command's name, and what it is made of. */
export type Step = { service: 'dynamodb' | 'sqs'; operation: string; input: Record<string, unknown> }
