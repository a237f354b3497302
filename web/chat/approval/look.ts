import { adopt, sheet } from '../style/adopt.ts'
import type { View } from '../view/view.ts'
import css from './approval.css?inline'

const look = sheet(css)

/** Gives a view the look of proposals and of their outcomes. */
export const dress = (view: View): void => adopt(view, look)
