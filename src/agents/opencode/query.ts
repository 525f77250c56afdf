import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { type Cli, runCli } from './cli.ts'

/**
 * Asks the database by OpenCode's own command, since 1.2.27; no rows where it cannot tell. `output` is a place for its answer.
 */
export const query = async <Row extends v.GenericSchema>(
  cli: Cli,
  sql: string,
  row: Row,
  output: string,
): Promise<readonly v.InferOutput<Row>[]> => {
  if ((await runCli(cli, ['db', sql, '--format', 'json'], output)) !== undefined) return []
  try {
    return v.parse(v.array(row), JSON.parse(await readFile(output, 'utf8')))
  } catch {
    // A release that takes the command for something else.
    return []
  }
}

/** A text in SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
