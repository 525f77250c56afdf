import * as v from 'valibot'
import { mountList } from '../../sandbox/mounts.ts'
import { containerCommand } from '../../sandbox/plan.ts'
import { resolveDirectives } from '../../task/resolve.ts'
import { area } from '../area.ts'

const id = v.pipe(v.number(), v.integer(), v.minValue(0))

/** How a command is run in a container (§11). */
export const sandbox = area(
  v.strictObject({
    engine: v.strictObject({
      name: v.picklist(['docker', 'podman']),
      rootless: v.exactOptional(v.boolean(), false),
      remapped: v.exactOptional(v.boolean(), false),
      selinux: v.exactOptional(v.boolean(), false),
    }),
    user: v.strictObject({ uid: id, gid: id }),
    project: v.string(),
    /** The repository that the project is a worktree of. */
    repository: v.exactOptional(v.string()),
    /** As in front matter, `image` among them. */
    directives: v.looseObject({ image: v.string() }),
    access: v.exactOptional(v.picklist(['edit', 'read-only']), 'edit'),
    env: v.exactOptional(v.record(v.string(), v.string()), {}),
    command: v.strictObject({ program: v.string(), args: v.array(v.string()) }),
    run: v.string(),
    /** Of the container. */
    name: v.string(),
  }),
  v.strictObject({
    /** Of the engine's client. */
    args: v.array(v.string()),
    /** Values in the client's environment that `args` name. */
    env: v.record(v.string(), v.string()),
  }),
  ({ engine, user, project, repository, access, env, command, run, name, ...given }) => {
    const { directives } = resolveDirectives([{ name: 'front matter', where: '', values: given.directives }])
    const planned = containerCommand(
      {
        engine,
        user,
        image: given.directives.image,
        directives,
        project,
        home: `${project}/.loop/agent-home`,
        mounts: mountList(
          project,
          repository === undefined ? [] : [repository],
          directives.mounts.map(({ source, target = source, readonly }) => ({ source, target, readonly })),
        ),
        run,
        env: {},
      },
      { file: command.program, args: command.args, env },
      { access, name },
    )
    const args = Array.from(planned.args)
    return { args, env: Object.assign({}, planned.env) }
  },
)
