import { floor } from '../page/floor.ts'

floor(Number.POSITIVE_INFINITY)
