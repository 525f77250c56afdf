import { defineConfig } from 'vitest/config'

const inCi = Boolean(process.env['CI'])

const common = {
  globalSetup: ['test/helpers/global-setup.ts'],
  // Real programs are timed: on a busy machine one may be late, and what is wrong fails again.
  retry: inCi ? 2 : 0,
  testTimeout: 30_000,
  hookTimeout: 120_000,
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**'],
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'real',
          include: ['test/real/**/*.test.ts'],
          // An agent waits for its model as often as it works.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
