import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeSurroundings } from '../test/command-parts.ts'
import { agentSettings } from './agent-settings.ts'
import { daemonPaths } from './daemon-paths.ts'

const FOLDER = '/home/ann'

describe('the settings of the agent protocol', () => {
  const around = (env = {}) => makeSurroundings({ cwd: FOLDER, home: FOLDER, env })
  const read = (options: object, env = {}, isElsewhere = false) =>
    agentSettings(
      { maxSessions: '1000', ...options },
      { paths: daemonPaths(null, around(env)), isElsewhere },
      around(env),
    )

  test.each<[string, object, string]>([
    ['an address without a port', { listen: '127.0.0.1' }, 'use host:port'],
    ['a port that is too large', { listen: 'localhost:65536' }, 'use host:port'],
    ['another address without TLS', { listen: '0.0.0.0:4620' }, 'other machines'],
    ['a certificate without a key', { listen: '[::]:1', tlsCert: 'a' }, 'together'],
    [
      'a key that cannot be read',
      { listen: '[::]:1', tlsCert: 'a', tlsKey: 'b' },
      'cannot be read',
    ],
    ['no sessions', { maxSessions: '0' }, 'is invalid'],
  ])('are refused with %s', (_, options, message) => {
    expect(() => read(options)).toThrow(message)
  })

  test('put the socket in the runtime folder of the user, unless the socket of the daemon was chosen', () => {
    const env = { XDG_RUNTIME_DIR: '/run/user/1' }
    expect(read({}, env).paths.socket).toBe('/run/user/1/signalbox/agent.sock')
    expect(read({}).paths.socket).toBe(`${FOLDER}/.local/state/signalbox/agent.sock`)
    expect(read({}, env, true).paths.socket).toBe(`${FOLDER}/.local/state/signalbox/agent.sock`)
    expect(read({ agentSocket: 'x.sock' }, env).paths.socket).toBe(path.join(FOLDER, 'x.sock'))
    expect(read({ listen: '0.0.0.0:1', behindTls: true }).listen).toMatchObject({ tls: null })
    expect(read({}).roots).toEqual([FOLDER])
  })
})
