/** On whose behalf a server is asked, on what kind of stage, and when in milliseconds since the epoch. */
export type Asker = { uid: number; isLocal: boolean; now: number }
