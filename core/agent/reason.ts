import { type English, inLanguage } from '../base/language.ts'

/** Why a tool may not be called, as a code that a test can name. */
export type GateReason = keyof typeof reasons

const reasons = {
  'chat.notConfigured': {
    en: 'The AI chat is not set up completely. An administrator can see what is missing.',
  },
  'tool.unknown': { en: 'There is no such tool.' },
  'tool.notHere': { en: 'This content management system does not have what this tool works on.' },
  'tool.disabled': {
    en: 'This tool is switched off for everyone. The operator of this installation can switch it on in the settings.',
  },
  'tool.draftsOnly': {
    en: 'The chat writes only drafts and hidden records here: what visitors see, a person decides in the content management system. The operator of this installation can change that.',
  },
  'tool.adminOnly': { en: 'Only administrators may use this tool. Ask an administrator to look it up.' },
  'tool.groupDenied': {
    en: 'One of your user groups is not allowed to use this tool. An administrator can change the rules of the group.',
  },
  'tool.groupNotAllowed': {
    en: 'None of your user groups is allowed to use this tool. An administrator can change the rules of a group.',
  },
  'tool.notConfigured': {
    en: 'The AI configuration that answers you does not offer this tool. The operator of this installation can add it.',
  },
  'tool.trustZone': {
    en: 'The data of this tool is too sensitive for the AI provider in use. The operator of this installation decides that.',
  },
  'tool.modelCannot': {
    en: 'The language model in use cannot call tools. The operator of this installation can choose another one.',
  },
  'tool.modelBlind': {
    en: 'The language model in use sees no pictures. The operator of this installation can choose another one.',
  },
} as const satisfies Record<string, English>

/** Says to a person why they may not use a tool and who could change it; English where the language is not known. */
export function reasonText(reason: GateReason, lang: string): string {
  return inLanguage(reasons[reason], lang)
}
