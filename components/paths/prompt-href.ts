// Path of a prompt's config page.
import { promptPath } from '@signalbox/wire'

export function toPromptPath({ ns, key }: { readonly ns: string; readonly key: string }): string {
  return `/configs/${promptPath(ns, key)}`
}
