/**
 * The address of an engine that runs on another machine, without the name of its user; undefined for one of this machine or of
 * its own virtual machine, which shares the user's folders.
 */
export const remoteAddress = (address: string): string | undefined => {
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname } = new URL(address)
  if (!['tcp:', 'http:', 'https:', 'ssh:'].includes(protocol) || isLoopback(hostname)) return undefined
  return address.replace(/\/\/[^/@]*@/, '//')
}

const isLoopback = (host: string): boolean => ['', 'localhost', '[::1]'].includes(host) || /^127\./.test(host)
