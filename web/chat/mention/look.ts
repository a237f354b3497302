import { adopter } from '../style/adopt.ts'
import css from './mention.css?inline'

/** Gives a view the look of what messages name, and of the list to choose from. */
export const dress = adopter(css)
