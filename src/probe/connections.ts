import type { Socket } from 'node:net'

/** Remembers which connections carried the requests of a turn, until they are closed. */
export type Connections = {
  readonly carried: (turn: string, socket: Socket) => void
  readonly anyOpen: (turn: string) => boolean
}

export const createConnections = (): Connections => {
  const open = new Map<string, Set<Socket>>()
  return {
    carried: (turn, socket) => {
      const sockets = open.get(turn) ?? new Set()
      if (socket.destroyed || sockets.has(socket)) return
      open.set(turn, sockets.add(socket))
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size === 0) open.delete(turn)
      })
    },
    anyOpen: (turn) => open.has(turn),
  }
}
