/**
 * The arguments in one string, as a shell would part them: white space parts, single and double quotes hold, a
 * backslash outside single quotes takes the next character as it is. Nothing is expanded.
 * Undefined when a quote is not closed.
 */
export const splitArguments = (text: string): readonly string[] | undefined => {
  const words: string[] = []
  const piece = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y
  let word: string | undefined
  while (piece.lastIndex < text.length) {
    const match = piece.exec(text)
    if (match === null) return undefined
    const [whole, single, double, escaped, plain] = match
    const part = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (part !== undefined) word = (word ?? '') + part
    else if (word !== undefined && whole !== '') {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

/** Tool rules in one string: commas and white space part them, except inside parentheses: `Bash(git add:*), Read`. */
export const splitTools = (text: string): readonly string[] => text.match(/(?:\([^)]*\)|[^\s,(])+/g) ?? []
