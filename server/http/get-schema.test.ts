import { jsonSchemas } from '@signalbox/wire'
import { expect, test } from 'vitest'
import { getSchema } from './get-schema.ts'

const ask = (file: string) =>
  getSchema(new Request(`http://127.0.0.1:3000/schemas/${file}`), {
    params: Promise.resolve({ file }),
  })

test('every schema is served under its name, also to pages of other sites', async () => {
  for (const [name, schema] of Object.entries(jsonSchemas())) {
    const answer = await ask(`${name}.json`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(schema)))
  }
})

test.each(['config-v1', 'none.json', 'constructor.json', ''])(
  'the name %j is not found',
  async (file) => {
    expect((await ask(file)).status).toBe(404)
  },
)
