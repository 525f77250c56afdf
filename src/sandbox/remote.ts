/**
 * The address of an engine that runs on another machine, without the name of its user; undefined for one of this machine or of
 * its own virtual machine, which shares the user's folders.
 */
export const remoteAddress = (address: string): string | undefined => {
  // docker's client takes a name without a scheme for a host.
  const whole = address === '' || /^[a-z]+:\/\//i.test(address) ? address : `tcp://${address}`
  if (!URL.canParse(whole)) return undefined
  const { protocol, hostname } = new URL(whole)
  if (!['tcp:', 'http:', 'https:', 'ssh:'].includes(protocol) || isLoopback(hostname)) return undefined
  return whole.replace(/\/\/[^/@]*@/, '//')
}

const isLoopback = (host: string): boolean => ['', 'localhost', '[::1]'].includes(host) || /^127\./.test(host)
