import { deployment, settings } from './stage.ts'

const bedrock = new Set(
  settings.providers.filter(({ adapter }) => adapter === 'bedrock').map(({ uid }) => uid),
)

/** Ids of the models of the settings that Bedrock answers. */
export const bedrockModels = [
  ...new Set(settings.models.filter(({ provider }) => bedrock.has(provider)).map(({ modelId }) => modelId)),
]

/** The part of an id that names a profile of AWS, which spreads over the regions that it stands for. */
const spread = /^[a-z-]+\.(?=anthropic\.)/

/** Id of the model itself, without the profile of AWS that reaches it. */
export const foundationOf = (modelId: string): string => modelId.replace(spread, '')

const { accountId } = aws.getCallerIdentityOutput()
const { region } = aws.getRegionOutput()

/**
 * A profile of the stage's own for each model, by the model's id. It asks the same model and carries the tags of the stage, so
 * that the bill tells what the models of each stage cost. An id that is an address already has none.
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

/** The addresses of the profiles by the ids of their models, as JSON. */
export const profileArns = $jsonStringify(Object.fromEntries([...profiles].map(([id, { arn }]) => [id, arn])))
