/** The environment for a child: that of yoke without `names`, the marks of a session that yoke itself was started from. */
export const without = (
  env: Readonly<Record<string, string | undefined>>,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !(entry[0] in names),
    ),
  )
