import { toJsonSchema } from '@valibot/to-json-schema'
import { areas } from '../../src/vectors/areas.ts'
import { vectorFileSchema } from '../../src/vectors/case.ts'

/** The JSON Schema of the vector files of each area, by the path of its file in `vectors/`. */
export const jsonSchemas = (): ReadonlyMap<string, object> =>
  new Map(
    Object.entries(areas).map(([name, { input, output }]) => [
      `schema/${name}.json`,
      {
        ...toJsonSchema(vectorFileSchema(name, input, output), {
          target: 'draft-2020-12',
          typeMode: 'input',
          errorMode: 'ignore',
        }),
        title: `Vector files of the area ${name}`,
      },
    ]),
  )
