// The example of a spec page is the body of a function that a test runs: both must say the same.
import fs from 'node:fs/promises'
import path from 'node:path'

const SPECS = path.join(import.meta.dirname, '../../../../specs/adapters')

/** The first TypeScript of a page, without its imports. */
export async function pageExample(page: string): Promise<string> {
  const text = await fs.readFile(path.join(SPECS, `${page}.md`), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? []
  return code.replaceAll(/^import .*\n/gm, '').trim()
}

/** The lines between `#region` and `#endregion` of a file, moved to the margin. */
export async function regionOf(file: string): Promise<string> {
  const text = await fs.readFile(file, 'utf8')
  const [, code = ''] = /#region\n([\s\S]*?)\n *\/\/ #endregion/.exec(text) ?? []
  return code.replaceAll(/^ {2}/gm, '').trim()
}
