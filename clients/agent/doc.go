// Package agent names the version of the real agent that tests run and that make agent builds. It is a module of its own: the agent needs
// some two hundred modules, and would change the versions that the public clients beside it are tested with.
package agent
