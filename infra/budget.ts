import { deployment, settings } from './stage.ts'
import { topic } from './topic.ts'

/** Shares of the budget, in percent, at which money that was spent is an alarm. */
const spentPercent = [50, 80, 100]

// A new account has no forecast for about five weeks, so what was spent counts as well.
const notifications = [
  ...spentPercent.map((threshold) => ({ notificationType: 'ACTUAL', threshold })),
  { notificationType: 'FORECASTED', threshold: 100 },
].map((notification) => ({
  ...notification,
  comparisonOperator: 'GREATER_THAN',
  thresholdType: 'PERCENTAGE',
  subscriberSnsTopicArns: [topic.arn],
}))

function budget(name: string, costFilters: aws.types.input.budgets.BudgetCostFilter[]): void {
  if (deployment.monthlyBudgetDollars === null) return
  new aws.budgets.Budget(name, {
    name: `${$app.name}-${$app.stage}-${name}`,
    budgetType: 'COST',
    limitAmount: String(deployment.monthlyBudgetDollars),
    limitUnit: 'USD',
    timeUnit: 'MONTHLY',
    costFilters,
    notifications,
  })
}

// SST tags all that it makes, profiles of models included; the account has to count costs by this tag.
budget('Cost', [{ name: 'TagKeyValue', values: [`user:sst:stage$${$app.stage}`] }])

// Models that are asked without such a profile carry no tag, so their service is watched as well, account-wide.
if (settings.providers.some(({ adapter, active }) => adapter === 'bedrock' && active))
  budget('ModelCost', [{ name: 'Service', values: ['Amazon Bedrock'] }])
