import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ROOT } from './product-process.ts'

const deploy = path.join(ROOT, 'deploy')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-deploy-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const run = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { encoding: 'utf8' })

/** Reason to skip the test. Empty: the program is installed. */
function missing(program: string, args: readonly string[]): string {
  return run(program, args).error === undefined ? '' : ` (skipped: ${program} is not installed)`
}

const NGINX = missing('nginx', ['-v'])
it.skipIf(NGINX !== '')(`nginx accepts deploy/nginx.conf${NGINX}`, () => {
  const certificate = path.join(folder, 'certificate.pem')
  const key = path.join(folder, 'key.pem')
  const made = run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=signalbox.example.com', '-keyout', key, '-out', certificate],
  ])
  expect(made.status, made.stderr).toBe(0)
  const site = fs
    .readFileSync(path.join(deploy, 'nginx.conf'), 'utf8')
    .replace('/etc/ssl/signalbox/certificate.pem', certificate)
    .replace('/etc/ssl/signalbox/key.pem', key)
  const file = path.join(folder, 'nginx.conf')
  fs.writeFileSync(file, `pid ${folder}/pid; events {} http { access_log off;\n${site}}`)
  const { status, stderr } = run('nginx', ['-t', '-c', file, '-e', path.join(folder, 'error.log')])
  expect(status, stderr).toBe(0)
})

const CADDY = missing('caddy', ['version'])
it.skipIf(CADDY !== '')(`Caddy accepts deploy/Caddyfile${CADDY}`, () => {
  const file = path.join(deploy, 'Caddyfile')
  const { status, stderr } = run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file])
  expect(status, stderr).toBe(0)
})

const HAPROXY = missing('haproxy', ['-v'])
it.skipIf(HAPROXY !== '')(`HAProxy accepts its files in deploy/${HAPROXY}`, () => {
  const file = path.join(folder, 'haproxy.cfg')
  const text = fs.readFileSync(path.join(deploy, 'haproxy.cfg'), 'utf8')
  fs.writeFileSync(file, text.replace(' ssl crt /etc/haproxy/signalbox.pem alpn h2,http/1.1', ''))
  for (const each of [file, path.join(deploy, 'patroni/haproxy.cfg')]) {
    const { status, stderr } = run('haproxy', ['-c', '-q', '-f', each])
    expect([status, stderr]).toEqual([0, ''])
  }
})

const SYSTEMD = missing('systemd-analyze', ['--version'])
it.skipIf(SYSTEMD !== '')(`systemd accepts deploy/signalbox.service${SYSTEMD}`, () => {
  const text = fs.readFileSync(path.join(deploy, 'signalbox.service'), 'utf8')
  const file = path.join(folder, 'signalbox.service')
  // The check requires the program to exist.
  fs.writeFileSync(file, text.replace('/usr/bin/node', process.execPath))
  const { status, stdout, stderr } = run('systemd-analyze', ['verify', file])
  expect([status, stdout, stderr]).toEqual([0, '', ''])
})

const COMPOSE = missing('docker-compose', ['version'])
it.skipIf(COMPOSE !== '')(`docker-compose accepts deploy/compose.yaml${COMPOSE}`, () => {
  const file = path.join(folder, 'compose.yaml')
  // The program of Debian 12 accepts the name of a project on its command line only.
  const text = fs.readFileSync(path.join(deploy, 'compose.yaml'), 'utf8')
  fs.writeFileSync(file, text.replace(/^name: .*\n/m, ''))
  const { status, stderr } = run('docker-compose', ['--file', file, 'config', '--quiet'])
  expect([status, stderr]).toEqual([0, ''])
})
