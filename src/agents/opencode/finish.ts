/** Reasons of the end of an answer after which OpenCode asks the model again. */
const goingOn: ReadonlySet<string> = new Set(['tool-calls', 'unknown'])

/** Whether the turn goes on after an answer that ended so. */
export const goesOn = (finish: string): boolean => goingOn.has(finish)
