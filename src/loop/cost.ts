/**
 * The cost of one start of an agent, in US dollars. A release that prints the cost of the whole session repeats what was
 * printed before; a figure below that means that the agent has begun to count anew.
 */
export const costOfStart = (printed: number, printedBefore: number, isSessionCost: boolean): number =>
  isSessionCost && printed >= printedBefore ? printed - printedBefore : printed
