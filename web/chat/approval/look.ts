import { adopter } from '../style/adopt.ts'
import css from './approval.css?inline'

/** Gives a view the look of proposals and of their outcomes. */
export const dress = adopter(css)
