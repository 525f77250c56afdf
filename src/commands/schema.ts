import type { Define } from '../main.ts'
import { directivesJsonSchema } from '../task/json-schema.ts'

export const define: Define = (cli) => {
  cli
    .command('schema', 'Print the JSON Schema of front matter and config.yaml, for editors')
    .example('  yoke schema > .loop/schema.json')
    .action(() => runSchema({ write: (text) => process.stdout.write(text) }))
}

/** Prints the JSON Schema of front matter and `config.yaml`. */
export const runSchema = ({ write }: { readonly write: (text: string) => void }): void => {
  write(`${JSON.stringify(directivesJsonSchema(), null, 2)}\n`)
}
