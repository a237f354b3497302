import { floor } from '../page/floor.ts'

floor(60)
