import { deployment, settings } from './stage.ts'

const bedrock = new Set(
  settings.providers.filter(({ adapter }) => adapter === 'bedrock').map(({ uid }) => uid),
)

/** Ids of the models in the settings that run on Bedrock. */
export const bedrockModels = [
  ...new Set(settings.models.filter(({ provider }) => bedrock.has(provider)).map(({ modelId }) => modelId)),
]

/**
 * The prefix in the id of an AWS inference profile. Such a profile spreads calls over the regions that the prefix
 * names.
 */
const spread = /^[a-z-]+\.(?=anthropic\.)/

/** Returns the id of the model itself, without the prefix of an AWS profile. */
export const foundationOf = (modelId: string): string => modelId.replace(spread, '')

const { accountId } = aws.getCallerIdentityOutput()
const { region } = aws.getRegionOutput()

/**
 * The stage's own profile for each model, by the model's id. A profile calls the same model and has the stage's tags:
 * the bill shows the cost of models per stage. A model id that is already an ARN gets no profile.
 */
export const profiles = new Map(
  bedrockModels
    .filter((id) => deployment.modelProfiles && /^([a-z-]+\.)?anthropic\./.test(id))
    .map((id) => [
      id,
      new aws.bedrock.InferenceProfile(`Model-${id.replace(/[^\w-]/g, '-')}`, {
        description: id,
        modelSource: {
          copyFrom: spread.test(id)
            ? $interpolate`arn:aws:bedrock:${region}:${accountId}:inference-profile/${id}`
            : $interpolate`arn:aws:bedrock:${region}::foundation-model/${id}`,
        },
      }),
    ]),
)

/** The ARNs of the profiles by the ids of their models, as JSON. */
export const profileArns = $jsonStringify(Object.fromEntries([...profiles].map(([id, { arn }]) => [id, arn])))
