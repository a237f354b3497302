/** A run that cannot be made, in a sentence for the person who asked for it. */
export class Mistake extends Error {}
