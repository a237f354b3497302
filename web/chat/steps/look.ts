import { adopter } from '../style/adopt.ts'
import css from './timeline.css?inline'

/** Gives a view the look of steps and of what a tool was asked with. */
export const dress = adopter(css)
