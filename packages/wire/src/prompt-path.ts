// Prompts in URLs: `/` inside ns becomes `~`, because proxies mangle %2F; ns itself never holds `~`.

export function promptPath(ns: string, key: string): string {
  return `${ns.replaceAll('/', '~')}/${key}`
}

export function promptFromPath(
  ns: string,
  key: string,
): { readonly ns: string; readonly key: string } {
  return { ns: ns.replaceAll('~', '/'), key }
}
