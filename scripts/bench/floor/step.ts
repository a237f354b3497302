/** One request of a floor: the command's name, and its input. */
export type Step = { service: 'dynamodb' | 'sqs'; operation: string; input: Record<string, unknown> }
