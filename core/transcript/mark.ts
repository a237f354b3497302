/** How the text begins that tells the model why a call was not run. */
export const notRun = 'Not run: '
