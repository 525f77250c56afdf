import { commands, groups } from '../commands.ts'

const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length))

/** `yoke --help`: the commands under what they are for, and how one begins. */
export const helpText = (): string =>
  [
    'yoke keeps a coding agent working on a task until an independent judge says that it is done.',
    '',
    'Usage: yoke <command> [options]',
    ...groups.flatMap((group) => [
      '',
      `${group}:`,
      ...Object.values(commands)
        .filter((command) => command.group === group)
        .map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    ]),
    '',
    'Examples:',
    '  yoke demo                            see it work: no account, nothing to pay',
    '  yoke init && yoke brute task.md      a task of your own',
    '  yoke brute task.md --max-cost-usd 5  with a limit',
    '  yoke status --watch                  from another terminal',
    '  yoke report --html report.html       afterwards',
    '',
    'Each command has --help. yoke --version prints the version; `yoke man | man -l -` is the manual.',
    '',
  ].join('\n')
