import { deployment, settings } from './stage.ts'
import { topic } from './topic.ts'

/** Percentages of the budget at which the actual costs raise an alarm. */
const spentPercent = [50, 80, 100]

// A new account has no forecast for about five weeks, so the actual costs count as well.
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

// SST tags all its resources, also the model profiles. The operator has to activate this tag for the bills of the
// account.
budget('Cost', [{ name: 'TagKeyValue', values: [`user:sst:stage$${$app.stage}`] }])

// A model call without a profile has no tag, so further budgets watch all calls to Bedrock in the account. AWS bills
// Claude on Bedrock through AWS Marketplace.
if (settings.providers.some(({ adapter, active }) => adapter === 'bedrock' && active)) {
  budget('ModelCost', [{ name: 'Service', values: ['Amazon Bedrock'] }])
  budget('MarketplaceCost', [{ name: 'BillingEntity', values: ['AWS Marketplace'] }])
}
