import type { Socket } from 'node:net'

/** Remembers which connections carried the requests of a turn, until they are closed. */
export type Connections = {
  readonly carried: (turn: string, socket: Socket) => void
  readonly anyOpen: (turn: string) => boolean
}

export const createConnections = (): Connections => {
  const turnsOf = new Map<Socket, Set<string>>()
  return {
    carried: (turn, socket) => {
      if (socket.destroyed) return
      const turns = turnsOf.get(socket)
      if (turns !== undefined) return void turns.add(turn)
      turnsOf.set(socket, new Set([turn]))
      socket.once('close', () => turnsOf.delete(socket))
    },
    anyOpen: (turn) => [...turnsOf.values()].some((turns) => turns.has(turn)),
  }
}
