import { ours } from '../page/ours.ts'

ours(false)
