/** The options that a help text lists, and the values in quotes that it offers: `--tools`, `dontAsk`. */
export const helpWords = (help: string): ReadonlySet<string> =>
  new Set([
    ...help.split('\n').flatMap((line) => listedOptions.exec(line)?.[1]?.match(/--[\w-]+/g) ?? []),
    ...[...help.matchAll(/"(\w+)"/g)].flatMap(([, value]) => value ?? []),
  ])

/** An option stands at the begin of its line; further in, the text only speaks of others. */
const listedOptions = /^ {1,4}((?:-\w, )?--[\w-]+(?:, --[\w-]+)*)/
