import { RE2JS } from 're2js'
import type { Detector, Range } from './detector.ts'

/** RE2 needs time linear in the text. */
export function patternDetector(source: string): Detector {
  return {
    name: 're2js',
    version: '2.10.0',
    find: async (text) => {
      const matcher = RE2JS.compile(source).matcher(text)
      const found: Range[] = []
      while (matcher.find()) found.push([matcher.start(), matcher.end()])
      return found
    },
  }
}
