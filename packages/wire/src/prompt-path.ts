// Prompts in URLs: `/` in ns becomes `~`, because proxies change %2F. A namespace never contains `~`.

export function promptPath(ns: string, key: string): string {
  return `${ns.replaceAll('/', '~')}/${key}`
}

export function promptFromPath(
  ns: string,
  key: string,
): { readonly ns: string; readonly key: string } {
  return { ns: ns.replaceAll('~', '/'), key }
}
