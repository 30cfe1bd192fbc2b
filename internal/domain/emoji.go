package domain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Emoji is a character that has names.
type Emoji struct {
	Name      string // the shortest
	Character string
	Aliases   []string // its other names
}

// Code returns the numbers of the character, such as 1f680.
func (e Emoji) Code() string {
	var parts []string
	for _, r := range e.Character {
		parts = append(parts, strconv.FormatInt(int64(r), 16))
	}
	return strings.Join(parts, "-")
}

// Emojis returns all emojis by name.
var Emojis = sync.OnceValue(func() []Emoji {
	names := map[string][]string{}
	for name, character := range EmojiCharacters {
		names[character] = append(names[character], name)
	}
	all := make([]Emoji, 0, len(names))
	for character, of := range names {
		slices.SortFunc(of, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		all = append(all, Emoji{Name: of[0], Character: character, Aliases: of[1:]})
	}
	slices.SortFunc(all, func(a, b Emoji) int { return cmp.Compare(a.Name, b.Name) })
	return all
})

// EmojiCharacters are the characters that names between colons stand for.
var EmojiCharacters = parseEmoji(`
+1 👍 -1 👎 thumbsup 👍 thumbsdown 👎 ok_hand 👌 wave 👋 clap 👏 raised_hands 🙌 pray 🙏 muscle 💪 point_up ☝️ point_right 👉 point_left 👈 point_down 👇
v ✌️ fist ✊ handshake 🤝 eyes 👀 brain 🧠 smile 😄 smiley 😃 grinning 😀 grin 😁 joy 😂 wink 😉 blush 😊 sunglasses 😎 thinking 🤔 thinking_face 🤔 neutral_face 😐
sob 😭 scream 😱 rage 😡 sleeping 😴 nerd_face 🤓 partying_face 🥳 heart_eyes 😍 star_struck 🤩 exploding_head 🤯 shrug 🤷 facepalm 🤦 robot 🤖 robot_face 🤖 ghost 👻 skull 💀
alien 👽 space_invader 👾 poop 💩 hankey 💩 clown_face 🤡 imp 👿 bow 🙇 technologist 🧑‍💻 detective 🕵️ construction_worker 👷 cop 👮 ninja 🥷 superhero 🦸 mage 🧙
heart ❤️ orange_heart 🧡 yellow_heart 💛 green_heart 💚 blue_heart 💙 purple_heart 💜 black_heart 🖤 broken_heart 💔 sparkling_heart 💖 100 💯 boom 💥 collision 💥 sweat_drops 💦 dash 💨 zzz 💤
fire 🔥 sparkles ✨ star ⭐ star2 🌟 dizzy 💫 zap ⚡ rainbow 🌈 sunny ☀️ cloud ☁️ umbrella ☔ snowflake ❄️ snowman ⛄ droplet 💧 ocean 🌊 comet ☄️ moon 🌔 crescent_moon 🌙 full_moon 🌕
earth_africa 🌍 earth_americas 🌎 earth_asia 🌏 globe_with_meridians 🌐 volcano 🌋 mountain ⛰️ desert 🏜️ camping 🏕️ tornado 🌪️ fog 🌫️ thunder_cloud_and_rain ⛈️
seedling 🌱 herb 🌿 four_leaf_clover 🍀 evergreen_tree 🌲 deciduous_tree 🌳 palm_tree 🌴 cactus 🌵 sunflower 🌻 rose 🌹 tulip 🌷 cherry_blossom 🌸 maple_leaf 🍁 fallen_leaf 🍂 mushroom 🍄 blossom 🌼 hibiscus 🌺
dog 🐶 cat 🐱 mouse 🐭 hamster 🐹 rabbit 🐰 fox_face 🦊 bear 🐻 panda_face 🐼 koala 🐨 tiger 🐯 lion 🦁 lion_face 🦁 cow 🐮 pig 🐷 frog 🐸 monkey_face 🐵 monkey 🐒 gorilla 🦍 chicken 🐔
penguin 🐧 bird 🐦 duck 🦆 eagle 🦅 owl 🦉 bat 🦇 wolf 🐺 horse 🐴 unicorn 🦄 unicorn_face 🦄 bee 🐝 honeybee 🐝 bug 🐛 butterfly 🦋 snail 🐌 beetle 🐞 ladybug 🐞 ant 🐜 spider 🕷️ scorpion 🦂 turtle 🐢
snake 🐍 lizard 🦎 dragon 🐉 dragon_face 🐲 octopus 🐙 squid 🦑 shrimp 🦐 crab 🦀 lobster 🦞 fish 🐟 tropical_fish 🐠 dolphin 🐬 shark 🦈 whale 🐳 whale2 🐋 crocodile 🐊 elephant 🐘 camel 🐫 llama 🦙
goat 🐐 sheep 🐑 ram 🐏 racehorse 🐎 hedgehog 🦔 otter 🦦 sloth 🦥 beaver 🦫 t-rex 🦖 sauropod 🦕 feet 🐾 paw_prints 🐾
apple 🍎 green_apple 🍏 pear 🍐 tangerine 🍊 lemon 🍋 banana 🍌 watermelon 🍉 grapes 🍇 strawberry 🍓 cherries 🍒 peach 🍑 pineapple 🍍 kiwi_fruit 🥝 tomato 🍅 avocado 🥑 eggplant 🍆 potato 🥔 carrot 🥕 corn 🌽
hot_pepper 🌶️ bread 🍞 croissant 🥐 cheese 🧀 egg 🥚 bacon 🥓 hamburger 🍔 fries 🍟 pizza 🍕 hotdog 🌭 taco 🌮 burrito 🌯 sushi 🍣 ramen 🍜 rice 🍚 cookie 🍪 cake 🍰 birthday 🎂 doughnut 🍩 icecream 🍦 chocolate_bar 🍫
candy 🍬 honey_pot 🍯 coffee ☕ tea 🍵 beer 🍺 beers 🍻 wine_glass 🍷 cocktail 🍸 champagne 🍾 salt 🧂
rocket 🚀 airplane ✈️ helicopter 🚁 car 🚗 red_car 🚗 taxi 🚕 bus 🚌 truck 🚚 articulated_lorry 🚛 tractor 🚜 racing_car 🏎️ bike 🚲 train 🚆 bullettrain_side 🚄 steam_locomotive 🚂 metro 🚇 ship 🚢 sailboat ⛵ speedboat 🚤 anchor ⚓
construction 🚧 traffic_light 🚥 vertical_traffic_light 🚦 fuelpump ⛽ satellite 🛰️ flying_saucer 🛸 parachute 🪂 house 🏠 office 🏢 factory 🏭 hospital 🏥 bank 🏦 school 🏫 castle 🏰 tent ⛺ stadium 🏟️ bridge_at_night 🌉
building_construction 🏗️ bricks 🧱 wood 🪵 world_map 🗺️ compass 🧭
computer 💻 desktop_computer 🖥️ keyboard ⌨️ mouse_three_button 🖱️ printer 🖨️ floppy_disk 💾 cd 💿 dvd 📀 minidisc 💽 iphone 📱 phone ☎️ telephone ☎️ battery 🔋 electric_plug 🔌 bulb 💡 flashlight 🔦 satellite_antenna 📡 tv 📺 camera 📷 video_camera 📹
movie_camera 🎥 mag 🔍 mag_right 🔎 microscope 🔬 telescope 🔭 test_tube 🧪 petri_dish 🧫 dna 🧬 alembic ⚗️ atom_symbol ⚛️ magnet 🧲 gear ⚙️ wrench 🔧 hammer 🔨 hammer_and_wrench 🛠️ nut_and_bolt 🔩 toolbox 🧰 axe 🪓 pick ⛏️ screwdriver 🪛 saw 🪚 chains ⛓️ hook 🪝 ladder 🪜
package 📦 mailbox 📫 email 📧 envelope ✉️ inbox_tray 📥 outbox_tray 📤 incoming_envelope 📨 memo 📝 pencil ✏️ pencil2 ✏️ page_facing_up 📄 scroll 📜 clipboard 📋 books 📚 book 📖 notebook 📓 bookmark 🔖 label 🏷️ file_folder 📁 open_file_folder 📂 card_index_dividers 🗂️
file_cabinet 🗄️ wastebasket 🗑️ pushpin 📌 round_pushpin 📍 paperclip 📎 link 🔗 scissors ✂️ triangular_ruler 📐 straight_ruler 📏 bar_chart 📊 chart_with_upwards_trend 📈 chart_with_downwards_trend 📉 calendar 📅 date 📅 spiral_calendar 🗓️
lock 🔒 unlock 🔓 closed_lock_with_key 🔐 key 🔑 old_key 🗝️ shield 🛡️ bell 🔔 no_bell 🔕 loudspeaker 📢 mega 📣 speech_balloon 💬 thought_balloon 💭 hourglass ⌛ hourglass_flowing_sand ⏳ alarm_clock ⏰ stopwatch ⏱️ timer_clock ⏲️ watch ⌚ clock1 🕐
moneybag 💰 dollar 💵 credit_card 💳 gem 💎 balance_scale ⚖️ briefcase 💼 gift 🎁 balloon 🎈 tada 🎉 confetti_ball 🎊 trophy 🏆 medal 🏅 first_place_medal 🥇 second_place_medal 🥈 third_place_medal 🥉 dart 🎯 game_die 🎲 jigsaw 🧩 video_game 🎮 joystick 🕹️ chess_pawn ♟️
soccer ⚽ basketball 🏀 football 🏈 baseball ⚾ tennis 🎾 8ball 🎱 ping_pong 🏓 goal_net 🥅 ice_skate ⛸️ ski 🎿 surfer 🏄 swimmer 🏊 runner 🏃 bicyclist 🚴 art 🎨 performing_arts 🎭 musical_note 🎵 notes 🎶 guitar 🎸 drum 🥁 trumpet 🎺 violin 🎻 microphone 🎤 headphones 🎧
crown 👑 tophat 🎩 mortar_board 🎓 helmet_with_white_cross ⛑️ eyeglasses 👓 goggles 🥽 safety_vest 🦺 lab_coat 🥼 boot 👢 ring 💍 umbrella_with_rain_drops ☔ broom 🧹 sponge 🧽 soap 🧼 bathtub 🛁 bed 🛏️ door 🚪 basket 🧺
white_check_mark ✅ heavy_check_mark ✔️ ballot_box_with_check ☑️ x ❌ negative_squared_cross_mark ❎ warning ⚠️ no_entry ⛔ no_entry_sign 🚫 stop_sign 🛑 radioactive ☢️ biohazard ☣️ question ❓ exclamation ❗ bangbang ‼️ interrobang ⁉️ information_source ℹ️ recycle ♻️
infinity ♾️ arrows_counterclockwise 🔄 arrow_up ⬆️ arrow_down ⬇️ arrow_left ⬅️ arrow_right ➡️ fast_forward ⏩ rewind ⏪ play_or_pause_button ⏯️ arrow_forward ▶️ red_circle 🔴 orange_circle 🟠 yellow_circle 🟡 green_circle 🟢 large_green_circle 🟢 blue_circle 🔵 large_blue_circle 🔵 purple_circle 🟣
brown_circle 🟤 black_circle ⚫ white_circle ⚪ red_square 🟥 large_orange_diamond 🔶 large_blue_diamond 🔷 diamond_shape_with_a_dot_inside 💠 black_square_button 🔲 checkered_flag 🏁 triangular_flag_on_post 🚩 white_flag 🏳️ black_flag 🏴 rainbow_flag 🏳️‍🌈 pirate_flag 🏴‍☠️
zero 0️⃣ one 1️⃣ two 2️⃣ three 3️⃣ four 4️⃣ five 5️⃣ six 6️⃣ seven 7️⃣ eight 8️⃣ nine 9️⃣ keycap_ten 🔟 hash #️⃣ new 🆕 free 🆓 up 🆙 cool 🆒 ok 🆗 sos 🆘 top 🔝 soon 🔜 crystal_ball 🔮 nazar_amulet 🧿 magic_wand 🪄 bomb 💣 dagger 🗡️ crossed_swords ⚔️ bow_and_arrow 🏹
pipeline 🔀 twisted_rightwards_arrows 🔀 buildkite 🪁 kite 🪁 lint-roller 🧹 shell 🐚 shopping_trolley 🛒 shopping_cart 🛒 shopping_bags 🛍️
linux 🐧 docker 🐳 ruby 💎 go 🐹 golang 🐹 python 🐍 rust 🦀 java ☕ node 🟩 nodejs 🟩 mac 🍎 windows 🪟 terraform 🏗️ kubernetes ☸️ wheel_of_dharma ☸️ swift 🐦 php 🐘 postgres 🐘 postgresql 🐘 elixir 💧
`)

func parseEmoji(table string) map[string]string {
	words := strings.Fields(table)
	characters := make(map[string]string, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		characters[words[i]] = words[i+1]
	}
	return characters
}
