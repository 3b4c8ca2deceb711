// Where the pages of a config are.
import { promptPath } from '@signalbox/wire'

export function configPath(ns: string, key: string): string {
  return `/configs/${promptPath(ns, key)}`
}
