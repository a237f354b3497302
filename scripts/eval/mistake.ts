/** A run that cannot be made, in a sentence for the person who asked for it. */
export class Mistake extends Error {}

/** A run that could not be measured for a reason that is not the model's, in a sentence. */
export class Unmeasured extends Error {}
