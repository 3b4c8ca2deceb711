import fs from 'node:fs/promises'
import path from 'node:path'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import * as z from 'zod/v4'
import { findFailureFile } from '../../test/check-command.ts'

export function toolServer(folder: string): McpServer {
  const server = new McpServer({ name: 'files', version: '1.0.0' })
  const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })
  server.registerTool(
    'write_file',
    { inputSchema: { path: z.string(), content: z.string() } },
    async ({ path: file, content }) => {
      await fs.writeFile(path.join(folder, file), content)
      return said(`wrote ${file}`)
    },
  )
  server.registerTool('read_file', { inputSchema: { path: z.string() } }, async ({ path: file }) =>
    said(await fs.readFile(path.join(folder, file), 'utf8')),
  )
  server.registerTool('check', { inputSchema: { how: z.string() } }, async ({ how }) => {
    if (how === 'passes') return said('the check passed')
    const file = findFailureFile(how)
    const text =
      file === undefined ? 'the check failed' : fs.readFile(path.join(folder, file), 'utf8')
    throw new Error(await text)
  })
  server.registerTool('wait', { inputSchema: {} }, async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return said('stopped')
  })
  return server
}
