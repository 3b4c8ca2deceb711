import { promptPath } from '@signalbox/wire'

export function configPath(ns: string, key: string): string {
  return `/configs/${promptPath(ns, key)}`
}

/** `pointer`: JSON pointer of the rule to show. */
export function versionPath(
  { ns, key, number }: { readonly ns: string; readonly key: string; readonly number: number },
  pointer?: string,
): string {
  const place = pointer === undefined ? '' : `&path=${encodeURIComponent(pointer)}`
  return `${configPath(ns, key)}/versions?version=${number}${place}`
}
