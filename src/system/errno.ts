/** The system's name of what went wrong, such as `ENOENT`; undefined for what is no error of the system. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
